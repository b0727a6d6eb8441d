import type { Command } from "commander"
import type { Cli } from "../cli.ts"

/** Runs a command with the dependencies that the global options describe. */
export type Act = (command: Command, task: (cli: Cli) => Promise<number>) => Promise<void>
