import type { en } from "./en";

/** All texts of one language. English says which there are. */
export type Texts = typeof en;
