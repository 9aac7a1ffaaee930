"""The lab: offline tools that measure and tune the engine. Nothing of the product imports it."""
