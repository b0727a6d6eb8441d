import type { Command } from "commander"
import type { Cli } from "../cli.ts"

/**
 * Turns a task into a command's action. The action passes the global options, the command's arguments and its options
 * to the task. If the task returns no exit code, it has succeeded.
 */
export type Act = <Given extends unknown[]>(
  task: (cli: Cli, ...given: Given) => Promise<number> | Promise<void>,
) => (this: Command, ...given: Given) => Promise<void>
