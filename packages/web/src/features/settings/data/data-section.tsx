import { CleanupSection } from "./cleanup-section.tsx"
import { TransferSection } from "./transfer-section.tsx"

/** The time for which sessions are kept, and the settings as a file. */
export function DataSection() {
  return (
    <>
      <CleanupSection />
      <TransferSection />
    </>
  )
}
