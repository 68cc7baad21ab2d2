"""What is sampled, trained and searched has not changed; see signature.py."""

import subprocess
import sys

import signature


def test_the_signature_is_the_expected_one():
    """In a process of its own: it selects kernels, which is for the whole process."""
    done = subprocess.run([sys.executable, signature.__file__], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = signature.EXPECTED.read_text().splitlines()
    found = done.stdout.splitlines()
    differences = [f"expected {a}\nfound    {b}" for a, b in zip(expected, found, strict=False) if a != b]
    assert found == expected, (
        "where this is meant, run `make signature KEEP=1` and commit the new table; the commit says so\n"
        + "\n".join(differences)
    )
