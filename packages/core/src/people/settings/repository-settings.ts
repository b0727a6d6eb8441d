import { createHash } from "node:crypto"
import { AppError } from "../../errors.ts"
import { isSameRemote } from "../../files/worktrees/remote.ts"
import { defaultSetup } from "../../files/worktrees/setup-schema.ts"
import { type ProtectedOptions, requireLoosening } from "../../protections.ts"
import type { Records } from "../../storage/records.ts"
import { loosensChecks } from "../../work/gate/set-commands.ts"
import { DEFAULT_PREVIEW } from "../../work/preview/schema.ts"
import {
  effectiveVerification,
  loosensVerification,
  settingsBeside,
  VERIFYING,
} from "../../work/verification/settings.ts"
import {
  RepositoriesSettingsChange,
  type RepositorySettings,
  type StoredRepositoriesSettings,
} from "./repository-settings-schema.ts"
import { createSettings } from "./settings.ts"

export type RepositoriesOfOwners = ReturnType<typeof createRepositoriesOfOwners>

interface Deps {
  records: Records
  /**
   * Returns the repositories that contain a folder or have it as a linked worktree, with the nearest last. Undefined if
   * this process can't access folders.
   */
  repositoriesAround?: ((folder: string) => Promise<string[]>) | undefined
  /** Names of the sizes of containers that settings may name. */
  containerSizes: readonly string[]
}

export function createRepositoriesOfOwners({ records, repositoriesAround, containerSizes }: Deps) {
  const keyOf = (owner: string) => ({ partition: `settings/${owner}`, sort: "repositories" })
  const { verification } = createSettings({ records })

  async function read(owner: string, options: { signal?: AbortSignal }): Promise<StoredRepositoriesSettings> {
    const record = await records.get(keyOf(owner), options)
    if (!record) return { repositories: [], version: 0 }
    const { repositories } = RepositoriesSettingsChange.parse(record.value)
    return { repositories: repositories.map(withDefaults), version: record.version }
  }

  async function find(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
    if (repository === null) return undefined
    const { repositories } = await read(owner, options)
    return nearest(repositories, [...(await around(repository)), repository])
  }

  /**
   * True if a change loosens the settings that apply in any of the named repositories. A new entry is compared with the
   * settings of the repositories that contain its folder, because those applied before.
   */
  async function loosens(
    owner: string,
    before: RepositorySettings[],
    after: RepositorySettings[],
    options: { signal?: AbortSignal },
  ): Promise<boolean> {
    const own = await verification.read(owner, options)
    const verified = (settings: RepositorySettings | undefined) =>
      effectiveVerification(...settingsBeside({ repository: settings?.verification ?? {} }, own))
    const named = new Set([...before, ...after].map(({ repository }) => repository))
    for (const repository of named) {
      const names = [...(await around(repository)), repository]
      const [was, is] = [nearest(before, names), nearest(after, names)]
      if (loosensVerification(verified(was), verified(is)) || loosensChecks(was?.checks ?? {}, is?.checks ?? {}))
        return true
    }
    return false
  }

  function requireSize({ repository, container_size: size }: RepositorySettings): void {
    if (size == null || containerSizes.includes(size)) return
    const choices = containerSizes.length > 0 ? `It has ${containerSizes.join(", ")}.` : "It has only one size."
    const message = `This server has no containers of the size ${size}, which the settings of ${repository} name. ${choices}`
    throw new AppError("validation_error", message, { container_sizes: containerSizes })
  }

  async function around(repository: string): Promise<string[]> {
    return repository.startsWith("/") ? ((await repositoriesAround?.(repository)) ?? []) : []
  }

  return {
    read,
    /**
     * Returns the name that this repository's settings are stored under. This is its own name, or the name of a
     * repository that contains it or has it as a linked worktree.
     */
    async nameFor(owner: string, repository: string, options: { signal?: AbortSignal }): Promise<string> {
      const found = await find(owner, repository, options)
      return found?.repository ?? (await around(repository))[0] ?? repository
    },
    /**
     * Replaces all settings. Throws `storage_conflict` if the change contains a version that isn't the stored version.
     * Throws `forbidden` if the change weakens verification or checks and the caller isn't allowed to do that. Throws
     * `validation_error` if the server has no containers of a named size.
     */
    async replace(
      owner: string,
      { version: expected, repositories }: RepositoriesSettingsChange,
      options: ProtectedOptions,
    ): Promise<StoredRepositoriesSettings> {
      const value = { repositories: repositories.map(withDefaults) }
      for (const settings of value.repositories) requireSize(settings)
      const { version, repositories: before } = await read(owner, options)
      if (await loosens(owner, before, value.repositories, options)) requireLoosening(VERIFYING, options)
      const condition = version === 0 ? { ifAbsent: true as const } : { ifVersion: version }
      const isMeant = expected === undefined || expected === version
      const stored = isMeant ? await records.put(keyOf(owner), { value }, { ...condition, ...options }) : undefined
      if (stored === undefined) {
        throw new AppError("storage_conflict", "The settings were changed elsewhere. Reload them and try again.", {
          version,
        })
      }
      return { ...value, version: stored }
    },
    /** Returns the verification settings for tasks in this repository. Undefined if the owner hasn't set any. */
    async verificationFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      return (await find(owner, repository, options))?.verification
    },
    /**
     * Returns the setup for this repository's worktrees, and the files that agents must read first. Undefined for a
     * session's own files.
     */
    async setupFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      if (repository === null) return undefined
      const found = (await find(owner, repository, options)) ?? { ...defaultSetup, instructions_paths: undefined }
      const { setup: command, cleanup, copy, link, cache, ports, instructions_paths } = found
      const setup = {
        setup: command,
        cleanup,
        copy,
        link,
        cache,
        ports,
        ...(instructions_paths && { instructions_paths }),
      }
      // Include the owner in the key, so that owners never share a cache even if their repositories have the same name.
      const cache_key = createHash("sha256").update(`${owner}\0${repository}`).digest("hex").slice(0, 32)
      return { ...setup, cache_key }
    },
    /** Returns the default agent for tasks in this repository. Null if the owner hasn't set one. */
    async preferredAgentFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      return (await find(owner, repository, options))?.preferred_coding_agent ?? null
    },
    /** Returns the size of this repository's containers. Undefined for the default, or if the stage has dropped it. */
    async containerSizeFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      if (containerSizes.length === 0) return undefined
      const size = (await find(owner, repository, options))?.container_size ?? undefined
      return size !== undefined && containerSizes.includes(size) ? size : undefined
    },
    /** Returns this repository's preview settings, or the default settings. */
    async previewFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      return (await find(owner, repository, options))?.preview ?? DEFAULT_PREVIEW
    },
    /**
     * Returns this repository's check commands with their time limits. Empty for a session's own files, or if the owner
     * hasn't set any.
     */
    async checksFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      return (await find(owner, repository, options))?.checks ?? {}
    },
  }
}

/** Returns the settings of the innermost of these repositories that has settings. */
function nearest(all: RepositorySettings[], names: string[]): RepositorySettings | undefined {
  const settingsOf = (name: string) => all.findLast((one) => isSameRemote(one.repository, name))
  return names
    .toReversed()
    .map(settingsOf)
    .find((settings) => settings !== undefined)
}

function withDefaults(set: RepositoriesSettingsChange["repositories"][number]): RepositorySettings {
  return { ...defaultSetup, checks: {}, ...set }
}
