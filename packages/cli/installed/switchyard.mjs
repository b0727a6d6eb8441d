#!/usr/bin/env node
// The command as npm installs it, without a checkout. This file must run on any version of Node that can load modules.
if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error(`The switchyard command requires Node 20 or later, but this is Node ${process.versions.node}.`)
  process.exitCode = 1
} else {
  const { runCommand } = await import("./program.mjs")
  process.exitCode = await runCommand(process.argv)
}
