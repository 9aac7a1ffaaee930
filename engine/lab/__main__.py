"""`python -m engine.lab`: the same commands as `krait lab`."""

from engine.lab.cli import lab

if __name__ == "__main__":
    lab(prog_name="python -m engine.lab")
