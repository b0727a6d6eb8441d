import type { Command } from "commander"
import type { Cli } from "../cli.ts"

/**
 * Carries out a command. Receives the global options, the command's arguments and its options. Returns the exit code, or
 * nothing if the command has succeeded.
 */
export type Task<Given extends unknown[]> = (cli: Cli, ...given: Given) => Promise<number> | Promise<void>

/**
 * Converts a task to the action of a command. The task is loaded when its command runs, because loading the modules of
 * all commands takes longer than most commands.
 */
export type Act = <Given extends unknown[]>(
  load: () => Promise<Task<Given>>,
) => (this: Command, ...given: Given) => Promise<void>
