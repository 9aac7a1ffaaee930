"""The compiled part of the engine: no clock, no print, no Python objects; arrays in, numbers out."""
