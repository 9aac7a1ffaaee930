"""The door to engines: processes that speak UCI or XBoard, and the pool that lends them."""
