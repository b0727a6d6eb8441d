import { PreviewPane } from "../../preview/preview-pane.tsx"
import { TryIt } from "../conversation/try-it.tsx"
import { BuildProgress } from "./build-progress.tsx"

interface Props {
  onOpen(file: string): void
  onCode(): void
}

/** The app itself, as soon as a version has a page. Until then, what is being built. */
export function AppPane({ onOpen, onCode }: Props) {
  const missing = (reason: string) => <BuildProgress reason={reason} onCode={onCode} />
  return <PreviewPane onOpen={onOpen} missing={missing} checks={<TryIt />} />
}
