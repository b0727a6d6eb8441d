import type { Command } from "commander"
import type { Cli } from "../cli.ts"

/**
 * Turns a task into a command's action. Passes it the global options, the command's arguments and its options. A task
 * without an exit code has succeeded.
 */
export type Act = <Given extends unknown[]>(
  task: (cli: Cli, ...given: Given) => Promise<number> | Promise<void>,
) => (this: Command, ...given: Given) => Promise<void>
