import type { NpmPackage } from "@switchyard/core/agents/clis/cli"

/** npm packages of an agent's CLI, with the version in the agent's lockfile. */
export interface NpmProgram {
  /**
   * Packages that the program requires. npm omits them without an error if they are optional and it can't fetch them,
   * or if they don't match the lockfile.
   */
  needed: string[]
  /** Executables, by name. Each is a path in `node_modules`. */
  programs: Record<string, string>
  /** Files that the package should mark as executable, but doesn't. */
  forgotten: string[]
}

export interface Machine {
  platform: string
  arch: string
}

/** Machines that the lockfiles contain programs for. */
export const MACHINES: readonly Machine[] = ["linux", "darwin"].flatMap((platform) =>
  ["x64", "arm64"].map((arch) => ({ platform, arch })),
)

/** Returns the parts of an agent's npm package to install on this machine. */
export function npmProgram(cli: string, found: NpmPackage, machine: Machine): NpmProgram {
  const { name, build = name, needs = [], program, forgotten = [] } = found
  const main = on(machine, build)
  return {
    needed: [main, ...needs.map((each) => on(machine, each))],
    programs: { [cli]: `${main}/${program}` },
    forgotten: forgotten.map((file) => `${main}/${on(machine, file)}`),
  }
}

/** Returns the names of a package's builds for all machines. Returns undefined if all machines use the same build. */
export function buildsOf({ build }: NpmPackage): string[] | undefined {
  return build === undefined ? undefined : MACHINES.map((machine) => on(machine, build))
}

function on({ platform, arch }: Machine, name: string): string {
  return name.replace("{platform}", platform).replace("{arch}", arch)
}
