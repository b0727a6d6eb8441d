#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Half of a start is the compiling. Modules are compiled before any of them runs, so all but this one are imported after.
enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"))
const { runCommand } = await import("./program.ts")

process.exitCode = await runCommand(process.argv)
