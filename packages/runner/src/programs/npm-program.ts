import type { NpmPackage } from "@switchyard/core/agents/clis/cli"

/** npm packages of an agent's program, in the version of its lockfile. */
export interface NpmProgram {
  /** Packages that the program needs. npm omits an optional one that it can't fetch, or that isn't the pinned one. */
  needed: string[]
  /** Executables by name, each as a path in `node_modules`. */
  programs: Record<string, string>
  /** Files that the package should have made executable. */
  forgotten: string[]
}

export interface Machine {
  platform: string
  arch: string
}

/** Machines that a lockfile has programs for. */
export const MACHINES: readonly Machine[] = ["linux", "darwin"].flatMap((platform) =>
  ["x64", "arm64"].map((arch) => ({ platform, arch })),
)

/** Returns what to install of an agent's package on a machine. */
export function npmProgram(cli: string, found: NpmPackage, machine: Machine): NpmProgram {
  const { name, build = name, needs = [], program, forgotten = [] } = found
  const main = on(machine, build)
  return {
    needed: [main, ...needs.map((each) => on(machine, each))],
    programs: { [cli]: `${main}/${program}` },
    forgotten: forgotten.map((file) => `${main}/${on(machine, file)}`),
  }
}

/** Returns the names of a package's builds for all machines; undefined if it has one for all. */
export function buildsOf({ build }: NpmPackage): string[] | undefined {
  return build === undefined ? undefined : MACHINES.map((machine) => on(machine, build))
}

function on({ platform, arch }: Machine, name: string): string {
  return name.replace("{platform}", platform).replace("{arch}", arch)
}
