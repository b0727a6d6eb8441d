import { beforeEach } from "vitest"
import "./needs.ts"

// Vitest runs a skipped test if its line is selected, as in the second part of CI.
beforeEach(({ task, skip }) => skip(task.meta.skippedBecause !== undefined, task.meta.skippedBecause))
