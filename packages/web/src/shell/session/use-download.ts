import { useState } from "react"
import { either, number, object, text } from "../../api/shape.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"

/** Where a zip lies, or that it is still being made, and where to ask again. */
const Link = object({ url: text })
const Preparing = object({ status_url: text, retry_after_seconds: number })

const GIVE_UP_MS = 300_000

/** The files as a zip: a link is asked for, and the browser follows it, so that no header of ours travels along. */
export function useDownload(sessionId: string): { busy: boolean; start(): void } {
  const { api } = useStudio()
  const toast = useToast()
  const [busy, setBusy] = useState(false)

  async function fetchLink(path: string, until: number): Promise<string> {
    const answer = await api.get(path, either(Link, Preparing))
    if ("url" in answer) return answer.url
    if (Date.now() > until) throw new Error("The zip is taking too long. Try again in a few minutes.")
    await new Promise((resolve) => setTimeout(resolve, answer.retry_after_seconds * 1000))
    return fetchLink(answer.status_url, until)
  }

  async function start(): Promise<void> {
    setBusy(true)
    try {
      const asked = `/workspace/download?link=1&workspace_id=${encodeURIComponent(sessionId)}`
      const link = document.createElement("a")
      link.href = await fetchLink(asked, Date.now() + GIVE_UP_MS)
      link.download = ""
      link.click()
      toast("The zip is on its way.", "ok")
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), "err")
    } finally {
      setBusy(false)
    }
  }
  return { busy, start }
}
