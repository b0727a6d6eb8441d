import type { CheckName } from "./schema.ts"

/** A command that checks a project, run by a shell in the project's folder. */
export interface Check {
  name: CheckName
  command: string
  /** Program that the command needs and a machine may lack. */
  program: string
  /** Page of the project to open in a browser instead of running the command. */
  page?: string
  /** Other programs that the command uses if they are installed. */
  others?: string[]
  /** True if a person set the command. */
  set?: true
  /**
   * True if the command may use the network. Unless it is `guarded`, it only fetches packages, and runs no code from
   * the packages or the project.
   */
  network?: boolean
  /** True if the command runs project code while it fetches packages. Its network access is limited to registries. */
  guarded?: true
}

/** The files on which a project's checks depend. */
export interface ProjectFiles {
  has(path: string): boolean
  /** Returns the text of a file, or undefined if it doesn't exist. */
  text(path: string): string | undefined
  paths(): Iterable<string>
}
