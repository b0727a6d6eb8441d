import { useLocation } from "wouter"
import { anything } from "../../api/decode.ts"
import { paths } from "../context/routes.ts"
import { useStudio, useToast, useTold } from "../context/studio.ts"
import { useSessionsChanged } from "./use-sessions.ts"

interface Target {
  id: string
  name: string
}

export interface SessionActions {
  /** Null restores the automatic name. */
  rename(session: Target, name: string | null): Promise<void>
  pin(session: Target, pinned: boolean): Promise<void>
  archive(session: Target, archived: boolean, options?: Bulk): Promise<void>
  /** Stops all active runs. */
  stop(session: Target): Promise<void>
  remove(session: Target, options?: Bulk): Promise<void>
}

interface Bulk {
  /** True for one of several sessions. The caller then refetches the lists and shows the result, once for all. */
  isOneOfMany: boolean
}

/** Actions on a whole session. They reject on failure, except that a failed pin shows a toast. */
export function useSessionActions(): SessionActions {
  const { api, sessions } = useStudio()
  const toast = useToast()
  const told = useTold()
  const changed = useSessionsChanged()
  const [path, go] = useLocation()

  async function change(
    { id }: Target,
    body: { name?: string | null; pinned?: boolean; archived?: boolean },
    options?: Bulk,
  ): Promise<void> {
    await api.call("PATCH /api/v1/sessions/{id}", { path: { id }, body, response: anything })
    if (!options?.isOneOfMany) changed()
  }

  return {
    rename: (session, name) => change(session, { name }),
    async pin(session, pinned) {
      await told(change(session, { pinned }))
    },
    archive: (session, archived, options) => change(session, { archived }, options),
    async stop({ id }) {
      await api.call("POST /api/v1/sessions/{id}/cancel", { path: { id }, response: anything })
    },
    async remove({ id, name }, options) {
      await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, response: anything })
      if (path === paths.session(id) || path.startsWith(`${paths.session(id)}/`)) go(paths.home())
      sessions.delete(id)
      if (options?.isOneOfMany) return
      toast(`Deleted “${name}”.`)
      changed()
    },
  }
}
