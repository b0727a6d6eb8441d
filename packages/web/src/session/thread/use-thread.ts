import { useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { useStudio } from "../context/studio.ts"
import { useShownSession } from "../view/use-session.ts"
import { createThreadStore } from "./thread-store.ts"

/** Returns the conversation with an agent, which follows the session while the component is mounted. */
export function useThread(agentId: string) {
  const session = useShownSession()
  const { api } = useStudio()
  const thread = useMemo(() => createThreadStore(api, session, agentId), [api, session, agentId])
  useEffect(() => {
    const controller = new AbortController()
    thread.follow({ signal: controller.signal })
    return () => controller.abort()
  }, [thread])
  return { ...useStore(thread.store), loadEarlier: thread.loadEarlier }
}
