import type { CheckName } from "./schema.ts"

/** A command that checks a project, run by a shell in the project's folder. */
export interface Check {
  name: CheckName
  command: string
  /** Program that the command needs. A machine may lack it. */
  program: string
  /** Project file to open in a browser instead of running the command. */
  page?: string
  /** Other programs that the command uses if they are installed. */
  others?: string[]
  /** True if a person set the command. */
  set?: true
  /**
   * True if the command may use the network. Unless it is `guarded`, it only fetches packages, and runs no code from
   * them or from the project.
   */
  network?: boolean
  /** True if the command runs project code while it fetches packages. It may reach only registries. */
  guarded?: true
}

/** The files on which a project's checks depend. */
export interface ProjectFiles {
  has(path: string): boolean
  /** Returns the text of a file, or undefined if it doesn't exist. */
  text(path: string): string | undefined
  paths(): Iterable<string>
}
