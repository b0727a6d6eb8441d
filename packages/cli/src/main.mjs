#!/usr/bin/env node
// This file must run on any version of Node. An editor starts it without npm, using the machine's Node, which may be
// older than ours.
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { fileURLToPath } from "node:url"

if (Number.parseInt(process.versions.node, 10) < 24) runByOwnNode()
else await run()

async function run() {
  const { importProgram } = await import("@switchyard/core/import-program")
  const { runCommand } = await importProgram("cli", new URL("command-line/program.ts", import.meta.url))
  process.exitCode = await runCommand(process.argv)
}

/**
 * Starts this program again, with the version of Node that is installed with it. Exits with the exit code of that
 * process.
 */
function runByOwnNode() {
  const node = fileURLToPath(new URL("../../../node_modules/node/bin/node", import.meta.url))
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" })
  // The terminal sends interrupts to both processes. Let the child process handle them.
  process.on("SIGINT", () => {})
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => {
    console.error(
      `Switchyard needs Node 24, but its own copy can't be started (${error.message}). Run npm install again.`,
    )
    process.exitCode = 1
  })
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}
