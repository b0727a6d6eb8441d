import type { Command } from "commander"
import type { Cli } from "../cli.ts"

/**
 * Converts a task to the action of a command. The task receives the global options, the command's arguments and its
 * options. If the task returns no exit code, the command has succeeded.
 */
export type Act = <Given extends unknown[]>(
  task: (cli: Cli, ...given: Given) => Promise<number> | Promise<void>,
) => (this: Command, ...given: Given) => Promise<void>
