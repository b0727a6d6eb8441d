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
  remove(session: Target): Promise<void>
}

/** Actions on a whole session. Renaming and deleting reject on failure; a failed pin shows a toast. */
export function useSessionActions(): SessionActions {
  const { api, sessions } = useStudio()
  const toast = useToast()
  const told = useTold()
  const changed = useSessionsChanged()
  const [path, go] = useLocation()

  async function change({ id }: Target, body: { name?: string | null; pinned?: boolean }): Promise<void> {
    await api.call("PATCH /api/v1/sessions/{id}", { path: { id }, body, response: anything })
    changed()
  }

  return {
    rename: (session, name) => change(session, { name }),
    async pin(session, pinned) {
      await told(change(session, { pinned }))
    },
    async remove({ id, name }) {
      await api.call("DELETE /api/v1/sessions/{id}", { path: { id }, response: anything })
      if (path === paths.session(id) || path.startsWith(`${paths.session(id)}/`)) go(paths.home())
      sessions.delete(id)
      toast(`Deleted “${name}”.`)
      changed()
    },
  }
}
