import { beforeEach } from "vitest"
import "./needs.ts"

// Vitest runs a skipped test if a filter selects its line, as the second part of CI does.
beforeEach(({ task, skip }) => skip(task.meta.skippedBecause !== undefined, task.meta.skippedBecause))
