import type { Command } from "commander"
import type { Cli } from "../cli.ts"

/** Runs a command with dependencies made from the global options. */
export type Act = (command: Command, task: (cli: Cli) => Promise<number>) => Promise<void>
