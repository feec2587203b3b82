#!/usr/bin/env python3
"""Fetches one file by HTTPS into a directory, once, and checks that it is the one that is wanted.

usage: fetch.py URL SHA512 DIR    prints where the file is. MAVEN_MIRROR replaces https://repo1.maven.org/maven2.
"""
import hashlib
import os
import shutil
import sys
import urllib.request

CENTRAL = "https://repo1.maven.org/maven2"


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha512").hexdigest()


def main():
    url, want, folder = sys.argv[1:]
    mirror = os.environ.get("MAVEN_MIRROR", "").rstrip("/")
    path = os.path.join(folder, url.rsplit("/", 1)[1])
    if not os.path.exists(path) or digest(path) != want:
        os.makedirs(folder, exist_ok=True)
        with urllib.request.urlopen(url.replace(CENTRAL, mirror, 1) if mirror else url, timeout=300) as r, open(path + ".part", "wb") as out:
            shutil.copyfileobj(r, out, 1 << 20)
        if (got := digest(path + ".part")) != want:
            os.remove(path + ".part")
            sys.exit(f"{url}: the SHA-512 is {got}, not {want}")
        os.replace(path + ".part", path)
    print(path)


if __name__ == "__main__":
    main()
