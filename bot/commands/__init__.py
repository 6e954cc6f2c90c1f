"""Commands by subject: the catalogue, one handler for every interface, and the functions that execute them."""
