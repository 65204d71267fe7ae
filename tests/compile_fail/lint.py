#!/usr/bin/env python3
"""Conventions that the compiler doesn't enforce, one rule per run.

usage: lint.py includes|sizes|top_level|version|format|self_test ROOT
       lint.py headers ROOT BUILD COMPILER LAYER=FOLDER=INCLUDEROOT:INCLUDEROOT…
       lint.py tidy ROOT BUILD
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

MAX_FUNCTION, MAX_FILE = 60, 500
TOP_LEVEL = {"CMakeLists.txt", "README.md", "src", "mutators", "shapes", "reference", "reports", "tests", "fixtures",
             "CMakePresets.json", "LICENSE"}
CODE = (".h", ".cpp", ".c", ".cu", ".cuh")

# Headers that only some folders may include.
PRIVATE_HEADERS = [
    (re.compile(r"toml\+\+/|toml\.hpp"), ("src/contract/", "tests/unit/contract/"), "toml++"),
    (re.compile(r"boost/program_options"), ("src/cli/",), "Boost.Program_options"),
    (re.compile(r"^(cuda|nvml|cublas|cudnn|nvrtc|cupti)[\w/]*\.h"), ("src/device/cuda/", "tests/unit/device/"), "CUDA headers"),
    (re.compile(r"rapidcheck"), ("shapes/", "tests/"), "RapidCheck"),
]


def tracked(root):
    """Files of the project, new ones included; without git, all but build folders and dotfiles."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout:
        return sorted(name for name in done.stdout.split("\0") if name and (root / name).is_file())
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f != "build" and not f.startswith("cmake-build")]
        found += [str(pathlib.Path(folder, f).relative_to(root)) for f in files]
    return sorted(found)


def code_of(root, fixtures=False):
    return [f for f in tracked(root) if f.endswith(CODE) and (fixtures or not f.startswith("fixtures/"))]


def read(root, name):
    return (root / name).read_text(encoding="utf-8", errors="replace")


def include_problems(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        if not match:
            continue
        header = match.group(1)
        if ".." in pathlib.PurePosixPath(header).parts:
            yield f"{name}:{number}: '..' in an include goes round the include roots"
        if header.startswith("/"):
            yield f"{name}:{number}: an absolute path in an include"
        for pattern, owners, what in PRIVATE_HEADERS:
            if pattern.search(header) and not name.startswith(owners):
                yield f"{name}:{number}: {what} may only be included in {', '.join(owners)}"


def blank(match):
    """Comments, strings and characters made of spaces, lines kept."""
    return re.sub(r"[^\n]", " ", match.group(0))


STRIP = re.compile(r'R"(\w*)\((?s:.*?)\)\1"|//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'')
NOT_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$|=\s*$")


def functions(text):
    """(first line, number of lines) of every outermost block that follows a parameter list."""
    code = STRIP.sub(blank, text)
    code = re.sub(r"(?m)^\s*#(?:[^\n]*\\\n)*[^\n]*", blank, code)
    depth, start, opened, head = 0, None, 0, 0
    for at, char in enumerate(code):
        if char == "{":
            before = code[head:at]
            if start is None and ")" in before and not NOT_FUNCTION.search(before):
                start, opened = code.count("\n", 0, head + len(before) - len(before.lstrip())) + 1, depth
            depth, head = depth + 1, at + 1
        elif char == "}":
            depth = depth - 1
            if start is not None and depth == opened and re.match(r"\s*[{,]", code[at + 1:at + 80]):
                continue  # a member initialised with braces: the body is still to come
            head = at + 1
            if start is not None and depth == opened:
                yield start, code.count("\n", 0, at) + 2 - start
                start = None
        elif char == ";":
            head = at + 1


def size_problems(name, text):
    lines = text.count("\n")
    if lines > MAX_FILE:
        yield f"{name}: {lines} lines; at most {MAX_FILE}: split it"
    for start, length in functions(text):
        if length > MAX_FUNCTION:
            yield f"{name}:{start}: a function of {length} lines; at most {MAX_FUNCTION}: split it"


def over_code(problems_of):
    def rule(root):
        files = code_of(root)
        problems = [p for name in files for p in problems_of(name, read(root, name))]
        return problems, f"{len(files)} files"

    return rule


def top_level(root):
    entries = {name.split("/")[0] for name in tracked(root)}
    seen = {entry for entry in entries if not entry.startswith(".")}
    problems = [f"{entry}: does not belong at the top level" for entry in sorted(seen - TOP_LEVEL)]
    problems += [f"{entry}: missing at the top level" for entry in sorted(TOP_LEVEL - seen)]
    return problems, f"{len(seen)} entries"


def version(root):
    cmake = re.search(r"project\(assay VERSION ([0-9.]+)", read(root, "CMakeLists.txt"))
    code = re.search(r'kVersion = "([0-9.]+)"', read(root, "src/core/version.h"))
    same = cmake and code and cmake.group(1) == code.group(1)
    return ([] if same else ["CMakeLists.txt and src/core/version.h name different versions"]), "2 files"


def format_rule(root):
    files = [f for f in code_of(root) if f.endswith((".h", ".cpp"))]
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=root, capture_output=True, text=True, check=False)
    bad = sorted(set(re.findall(r"(?m)^(\S+?):\d+:\d+: error", done.stderr)))
    if done.returncode and not bad:
        bad = [done.stderr.strip()[:300] or "clang-format failed"]
    return [f"{name}: run clang-format -i on it" for name in bad], f"{len(files)} files"


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def by_name(root):
    known = {}
    for name in code_of(root):
        known.setdefault(name.split("/")[-1], []).append(name)
    return known


def includes_of(root, name, known, seen):
    """The project's files that `name` includes, and theirs."""
    for header in re.findall(r'(?m)^\s*#\s*include\s*"([^"]+)"', read(root, name)):
        for path in known.get(header.split("/")[-1], []):
            if path.endswith(header) and path not in seen:
                seen.add(path)
                includes_of(root, path, known, seen)
    return seen


def content_key(root, name, known):
    digest = hashlib.sha256(read(root, ".clang-tidy").encode())
    for each in sorted({name} | includes_of(root, name, known, set())):
        digest.update(each.encode() + read(root, each).encode())
    return digest.hexdigest()


def included_first(root):
    """Headers that some source file includes before anything else: the build itself shows that they compile alone."""
    sources = (read(root, name) for name in code_of(root) if name.endswith(".cpp"))
    found = (re.search(r'(?m)^\s*#\s*include\s*(["<].*)', text) for text in sources)
    return {match.group(1).strip('"') for match in found if match}


def headers(root, build, compiler, *layers):
    """Each header of a layer compiles alone, with that layer's include roots; unchanged ones aren't compiled again."""
    proven = included_first(root)
    cache = pathlib.Path(build) / "headers_clean"
    cache.mkdir(exist_ok=True)
    known = by_name(root)
    jobs = []
    for layer in layers:
        name, folder, roots = layer.split("=")
        flags = [f"-I{each}" for each in roots.split(":") if each]
        jobs += [(h, f"{name}/{h.relative_to(folder)}", flags) for h in sorted(pathlib.Path(folder).rglob("*.h"))]

    jobs = [job for job in jobs if job[1] not in proven]

    def compile_one(job):
        path, include, flags = job
        clean = cache / content_key(root, str(path.relative_to(root)), known)
        if clean.exists():
            return []
        command = [compiler, "-std=c++20", "-fsyntax-only", "-DFMT_HEADER_ONLY=1", "-x", "c++", "-", *flags]
        done = subprocess.run(command, input=f'#include "{include}"\n', cwd="/", capture_output=True, text=True, check=False)
        if done.returncode:
            return [f"{include}: {done.stderr.strip()[:400]}"]
        clean.touch()
        return []

    return sum(in_parallel(compile_one, jobs), []), f"{len(jobs)} headers that no source file includes first"


TIDY_BUDGET_S = 120


def newest_first(root, names):
    """By the last commit that touched them: where the time isn't enough for all, what changed is looked at."""
    log = subprocess.run(["git", "-C", str(root), "log", "--name-only", "--format="], capture_output=True, text=True, check=False)
    age = {}
    for line in log.stdout.splitlines():
        age.setdefault(line, len(age))
    return sorted(names, key=lambda name: age.get(name, -1))


def tidy(root, build):
    """clang-tidy's short list on files that changed since they were last found clean, for as long as the budget lasts."""
    build = pathlib.Path(build)
    cache = build / "tidy_clean"
    cache.mkdir(exist_ok=True)
    compiled = {c["file"] for c in json.loads((build / "compile_commands.json").read_text())}
    files = [f for f in code_of(root) if f.endswith(".cpp") and str(root / f) in compiled and not f.startswith("tests/")]
    known = by_name(root)
    keys = {name: content_key(root, name, known) for name in files}
    due = newest_first(root, [name for name in files if not (cache / keys[name]).exists()])
    end = time.monotonic() + TIDY_BUDGET_S
    # g++'s own warning options are in the recorded commands.
    shim = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-include", f"--extra-arg={pathlib.Path(__file__).with_name('source_location_for_tidy.h')}"]

    def check(name):
        if time.monotonic() > end:
            return None
        done = subprocess.run(["clang-tidy", "--quiet", "-p", str(build), *shim, name], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            (cache / keys[name]).touch()
            return []
        return [f"{name}: {done.stdout.strip()[:2000] or done.stderr.strip()[:500]}"]

    results = in_parallel(check, due)
    late = sum(result is None for result in results)
    note = f"; {late} left for the next run: the time was up" if late else ""
    return sum((r for r in results if r), []), f"{len(files)} files, {len(due) - late} of them looked at now{note}"


def self_test(_root):
    """Each rule must see what it forbids and leave alone what it permits."""
    long_body = "int f(int a) {\n" + "  a += 1;\n" * 60 + "  return a;\n}\n"
    short_body = "int f(int a) {\n" + "  a += 1;\n" * 57 + "  return a;\n}\n"
    cases = [
        (include_problems, "src/judge/a.cpp", '#include "../verdict/x.h"\n', 1),
        (include_problems, "src/judge/a.cpp", '#include "/usr/include/x.h"\n', 1),
        (include_problems, "src/judge/a.cpp", "#include <toml++/toml.h>\n", 1),
        (include_problems, "src/contract/a.cpp", "#include <toml++/toml.h>\n", 0),
        (include_problems, "reports/a.cpp", "#include <boost/program_options.hpp>\n", 1),
        (include_problems, "src/device/device.cpp", "#include <cuda_runtime.h>\n", 1),
        (include_problems, "src/device/cuda/a.cpp", "#include <cuda.h>\n", 0),
        (include_problems, "src/judge/a.cpp", "// #include <toml++/toml.h>\n#include <vector>\n", 0),
        (size_problems, "a.cpp", long_body, 1),
        (size_problems, "a.cpp", short_body, 0),
        (size_problems, "a.cpp", "namespace n {\n" + long_body + "}\n", 1),
        (size_problems, "a.cpp", "struct S {\n" + "  int a;\n" * 80 + "};\n", 0),
        (size_problems, "a.cpp", "struct S {\n  S() : a_{1} {\n" + "    ++a_;\n" * 70 + "  }\n  int a_;\n};\n", 1),
        (size_problems, "a.cpp", "constexpr R k[] = {\n" + "  {f(1), 2},\n" * 80 + "};\n", 0),
        (size_problems, "a.cpp", 'const char* s = "}{"; // {\n' + short_body, 0),
        (size_problems, "a.cpp", "int a;\n" * 501, 1),
    ]
    problems = []
    for number, (rule, name, text, wanted) in enumerate(cases):
        found = list(rule(name, text))
        if len(found) != wanted:
            problems.append(f"case {number} ({rule.__name__}, {name}): wanted {wanted}, found {found}")
    return problems, f"{len(cases)} cases"


RULES = {"includes": over_code(include_problems), "sizes": over_code(size_problems), "top_level": top_level, "version": version,
         "format": format_rule, "headers": headers, "tidy": tidy, "self_test": self_test}

TOOLS = {"format": "clang-format", "tidy": "clang-tidy"}
SKIPPED = 77  # CMakeLists.txt tells ctest


def main(words):
    if len(words) < 2 or words[0] not in RULES:
        print(__doc__)
        return 2
    tool = TOOLS.get(words[0])
    if tool and not shutil.which(tool):
        print(f"{words[0]}: skipped, {tool} is not installed (apt-get install {tool})")
        return SKIPPED
    problems, looked_at = RULES[words[0]](pathlib.Path(words[1]).resolve(), *words[2:])
    print("\n".join(problems))
    print(f"{words[0]}: {looked_at}, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main(sys.argv[1:]))
