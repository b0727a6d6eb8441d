import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { systemClock } from "@switchyard/core/time"
import type { RepositoryChecks, Verdict } from "@switchyard/core/work/gate/schema"
import { checkFiles } from "@switchyard/runner/gate/check-files"
import { prepareOwnHome, type Workdir, type WorkdirDeps } from "@switchyard/runner/gate/workdir"
import { expect } from "vitest"
import { never as signal } from "../../settings.ts"

interface Options {
  commands?: RepositoryChecks | undefined
  /** Sandbox that cuts programs off from the network. Omitted if there is none. */
  means?: "bubblewrap"
  /** Returns the program that the sandbox runs. `place.network` is the allowed network. */
  confine?: (place: { network?: unknown }, program: Program) => Program
}

interface Program {
  file: string
  args: string[]
}

/**
 * Checks a project of these files with the machine's programs. Resolves to the verdict and the output of each check.
 */
export async function checkProject(
  texts: Record<string, string>,
  { commands, means, confine = (_, program) => program }: Options = {},
): Promise<{ verdict: Verdict; outputs: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "checked-"))
  const deps = {
    ...{ clock: systemClock, folder, homes: join(folder, "homes"), host: process.env, family: "checked" },
    report: (error: unknown) => expect.unreachable(String(error)),
    confinement: async () => ({ means, confine }),
  } as unknown as WorkdirDeps
  async function fill(workdir: Workdir): Promise<void> {
    await prepareOwnHome(workdir)
    for (const [path, text] of Object.entries(texts)) {
      await mkdir(dirname(join(workdir.cwd, path)), { recursive: true })
      await writeFile(join(workdir.cwd, path), text)
    }
  }
  const project = {
    has: (path: string) => Object.hasOwn(texts, path),
    text: (path: string) => texts[path],
    paths: () => Object.keys(texts),
  }
  const outputs: string[] = []
  const context = {
    ...{ sid: "s", signal, awaitExternal: (work: () => Promise<unknown>) => work() },
    write: async (events: { output?: string }[]) => void outputs.push(...events.flatMap(({ output }) => output ?? [])),
  }
  const verdict = await checkFiles(deps, context as unknown as Parameters<typeof checkFiles>[1], {
    ...{ purpose: "commits", once: "run", project, commands, fill, checked: { commit: "abc" } },
  })
  await rm(folder, { recursive: true })
  return { verdict, outputs }
}
