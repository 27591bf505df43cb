import { createContext, useContext } from "react";

/** The panel beside the page, or over it where there is no room beside it. */
export interface SidePanel {
  readonly open: boolean;
  /** It lies over the page and hides it. */
  readonly over: boolean;
  readonly setOpen: (open: boolean) => void;
}

export const SidePanelContext = createContext<SidePanel>({ open: false, over: false, setOpen: () => undefined });

export function useSidePanel(): SidePanel {
  return useContext(SidePanelContext);
}
