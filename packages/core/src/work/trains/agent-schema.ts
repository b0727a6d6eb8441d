/** Agent of merge trains, so that a session runs one at a time. */
export const TRAIN_AGENT = "merges"
