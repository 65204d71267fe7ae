#pragma once

namespace assay::worker {

/// Theory of operation
/// -------------------
/// One program, three processes. The *launcher* is what the judge starts from a sealed memory file: it reads the plan,
/// gives up root, enters new namespaces and forks the *init*, PID 1 of the new PID namespace. Init builds the private
/// root, forks the *worker* and then serves the judge on `control`: stop, continue, facts from /proc, refused calls,
/// the wait status. The worker confines itself (limits, Landlock, seccomp), only then loads the subject and serves
/// `calls`.
///
/// Nothing survives: the launcher dies with the judge, init with the launcher (parent-death signals, a pipe that only
/// the launcher holds open, and the end of `control`), and everything in the PID namespace with init. Without
/// namespaces the worker has a parent-death signal of its own, which the filter keeps it from taking back.
///
/// Init is trusted and the worker isn't, though both have one user: a PID namespace ignores signals to its first
/// process, /proc doesn't show it, and the filter refuses what else could reach it.
///
/// Runs the launcher, and in its children init and worker. Returns the exit status of this process.
int run_launcher();

}  // namespace assay::worker
