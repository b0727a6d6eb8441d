import { useState } from "react"
import { either, number, object, text } from "../../api/decode.ts"
import { useStudio, useToast, useTold } from "../../session/context/studio.ts"

/** URL of a zip, or the URL to poll while it is being created. */
const LinkOrNot = either(object({ url: text }), object({ status_url: text, retry_after_seconds: number }))

const GIVE_UP_MS = 300_000

/** Downloads the files as a zip through a link, because such a request can't send our headers. */
export function useDownload(sessionId: string): { busy: boolean; start(): void } {
  const { api } = useStudio()
  const toast = useToast()
  const told = useTold()
  const [busy, setBusy] = useState(false)

  async function fetchLink(until: number): Promise<string> {
    const query = { link: true, workspace_id: sessionId }
    let result = await api.call("GET /workspace/download", { query, response: LinkOrNot })
    while (!("url" in result)) {
      if (Date.now() > until) throw new Error("The zip is taking too long. Try again in a few minutes.")
      const waitMs = result.retry_after_seconds * 1000
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      result = await api.follow(result.status_url, LinkOrNot)
    }
    return result.url
  }

  async function start(): Promise<void> {
    setBusy(true)
    const href = await told(fetchLink(Date.now() + GIVE_UP_MS))
    setBusy(false)
    if (href === null) return
    Object.assign(document.createElement("a"), { href, download: "" }).click()
    toast("Downloading zip.", "ok")
  }
  return { busy, start }
}
