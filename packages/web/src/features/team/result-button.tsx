import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { usePreview } from "../preview/use-preview.ts"

/** Opens the app that the team built. Nothing if its files have no page and no server. */
export function ResultButton() {
  const { sessionId } = useShownSession()
  const { page, server } = usePreview(false)
  const [, go] = useLocation()
  if (page.state !== "shown" && server === null) return null
  return (
    <Button size="sm" tone="primary" onClick={() => go(paths.preview(sessionId))}>
      Open app
    </Button>
  )
}
