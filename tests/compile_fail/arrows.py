#!/usr/bin/env python3
"""Tries every arrow from one layer: permitted includes must compile, all others must fail for want of the file.

usage: arrows.py FROM ROOT:ROOT… COMPILER TARGET=FOLDER=MAY|MUSTNOT…

ROOTs are the include roots that CMake gives the layer FROM. Of each target folder the first header (else source) is tried.
FROM's own is among the permitted ones: so some layer's test shows of every header that it compiles where it is within
reach, and a forbidden include can only fail because it is out of reach.
"""
import pathlib
import subprocess
import sys


def compiles(compiler, roots, include):
    """(whether it compiles, what the compiler said)"""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"] + [f"-I{root}" for root in roots if root]
    # The C locale: the text is matched below.
    done = subprocess.run(command, input=f'#include "{include}"\n', text=True, capture_output=True,
                          cwd="/",  # quotes also search the working folder
                          env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, check=False)
    return done.returncode == 0, done.stderr


def judge(compiler, source, roots, target, folder, rule):
    # Folders of self-registering files have no headers: there a source stands in.
    headers = sorted(pathlib.Path(folder).glob("*.h")) or sorted(pathlib.Path(folder).glob("*.cpp"))
    if not headers:
        return "skipped", f"{folder} has no file yet"
    include = f"{target}/{headers[0].name}"
    if rule == "MAY":
        fine, said = compiles(compiler, roots, include)
        return ("right", "compiles") if fine else ("wrong", f"does not compile: {said.strip()[:300]}")
    fine, said = compiles(compiler, roots, include)
    if fine:
        return "wrong", "compiles, but is forbidden"
    if f"{include}: No such file" not in said:
        return "wrong", f"fails for another reason: {said.strip()[:300]}"
    return "right", "out of reach"


def main(words):
    source, roots, compiler, *targets = words
    counts = {"right": 0, "wrong": 0, "skipped": 0}
    for each in targets:
        target, folder, rule = each.split("=")
        outcome, why = judge(compiler, source, roots.split(":"), target, folder, rule)
        counts[outcome] += 1
        print(f"{outcome}: {source} -> {target} ({rule.lower()}): {why}")
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["wrong"] or not counts["right"] else 0


sys.exit(main(sys.argv[1:]))
