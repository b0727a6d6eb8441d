import { join } from "node:path"
import { createMutex } from "@switchyard/core/concurrency/mutex"
import { createRepositoryCredentials } from "@switchyard/core/files/worktrees/repository-credentials"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemClock as clock } from "@switchyard/core/time"
import { createKnownGit } from "../git/plumbing/known-git.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import type { RunnerHost } from "../serving/host.ts"
import type { WorktreeServicesDeps } from "../serving/worktree-services.ts"
import type { Core } from "./core.ts"

export function createProject(
  { dataFolder, local, retentionMs }: RunnerHost,
  { log, blobs }: Core,
  { folder, journals, remotes }: Pick<ProjectDeps, "journals" | "remotes"> & { folder: string },
): WorktreeServicesDeps["project"] {
  return {
    remotes,
    clock,
    log,
    blobs,
    local,
    retentionMs,
    folder: join(dataFolder, "projects"),
    notes: folder,
    journals,
    knownGit: createKnownGit(),
    leftOut: new Map(),
    refused: new Map(),
    opening: createMutex(),
  }
}

export function createRemotes(
  { sid, key, hosts }: RunnerHost,
  { records }: Pick<Core, "records">,
  env: NodeJS.ProcessEnv,
): ProjectDeps["remotes"] {
  const sealer = key && createSealer(key)
  const stored = sealer && createRepositoryCredentials({ records, sealerOf: () => sealer })
  return (incarnation) => ({
    env,
    hosts,
    credentialsFor: async (url, options) => stored?.get({ sid, incarnation }, url, options),
  })
}
