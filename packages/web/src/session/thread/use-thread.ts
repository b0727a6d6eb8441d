import { useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { useShownSession } from "../view/use-session.ts"
import { createThreadStore } from "./thread-store.ts"

/** Returns the conversation with an agent, which follows the session while the component is mounted. */
export function useThread(agentId: string) {
  const session = useShownSession()
  const thread = useMemo(() => createThreadStore(session, agentId), [session, agentId])
  useEffect(() => {
    const controller = new AbortController()
    thread.follow({ signal: controller.signal })
    return () => controller.abort()
  }, [thread])
  return { ...useStore(thread.store), loadEarlier: thread.loadEarlier }
}
