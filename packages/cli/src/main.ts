#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Half of a start is the compiling. Modules are compiled before any of them runs, so all but this one are imported after.
enableCompileCache(join(import.meta.dirname, "../../../node_modules/.cache/compiled"))
const { builtOrSource } = await import("@switchyard/core/built-program")
const program = builtOrSource("cli", new URL("program.ts", import.meta.url))
const { runCommand }: typeof import("./program.ts") = await import(program)

process.exitCode = await runCommand(process.argv)
