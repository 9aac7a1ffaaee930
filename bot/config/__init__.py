"""Everything an operator may change: read once, checked at the door, passed down in slices."""
