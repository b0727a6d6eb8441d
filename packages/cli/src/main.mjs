#!/usr/bin/env node
import { importProgram } from "@switchyard/core/import-program"

const { runCommand } = await importProgram("cli", new URL("program.ts", import.meta.url))

process.exitCode = await runCommand(process.argv)
