import { useMemo, useState } from "react"
import { errorText } from "../../../api/error-text.ts"
import { useStudio, useToast } from "../../../session/context/studio.ts"
import { withCtrl } from "../controls/keys.ts"
import { createInputQueue, type TerminalPath } from "./input-queue.ts"

/** Sends typed text to a terminal. Ctrl on the key bar applies to the next text only. */
export function useInput(path: TerminalPath, client: string) {
  const { api } = useStudio()
  const toast = useToast()
  const [ctrl, setCtrl] = useState(false)
  const send = useMemo(() => {
    const failed = (error: unknown) => toast(errorText(error), "err")
    return createInputQueue(api, path, client, failed)
  }, [api, path, client, toast])
  return {
    ctrl,
    toggleCtrl: () => setCtrl(!ctrl),
    type: (text: string) => {
      send(ctrl ? withCtrl(text) : text)
      setCtrl(false)
    },
  }
}
