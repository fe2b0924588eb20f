"""How what workers send is carried to the server, and what that costs."""
