import { useEffect, useMemo, useState } from "react"
import { errorText } from "../../../api/error-text.ts"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import { useStreams } from "../../../session/view/use-streams.ts"
import { withCtrl } from "../controls/keys.ts"
import { createInputQueue, type TerminalPath } from "./input-queue.ts"

/** Sends typed text to a terminal once it is open. Ctrl on the key bar applies to the next text only. */
export function useInput(path: TerminalPath, client: string, open: boolean) {
  const { api } = useStudio()
  const streams = useStreams()
  const toast = useToast()
  const [ctrl, setCtrl] = useState(false)
  const queue = useMemo(() => {
    const failed = (error: unknown) => toast(errorText(error), "err")
    return createInputQueue({ api, streams }, path, client, failed)
  }, [api, streams, path, client, toast])
  useEffect(() => queue.connect(open), [queue, open])
  return {
    ctrl,
    toggleCtrl: () => setCtrl(!ctrl),
    type: (text: string) => {
      queue.type(ctrl ? withCtrl(text) : text)
      setCtrl(false)
    },
  }
}
