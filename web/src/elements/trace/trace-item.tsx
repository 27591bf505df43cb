import { memo } from "react";
import type { Item } from "../../conversation/conversation";
import { Demotion } from "../demotion/demotion";
import { Divider } from "../divider/divider";
import { Interrupt } from "../interrupt/interrupt";
import { Thought } from "../thought/thought";
import { ToolCalls } from "../tool-call/tool-calls";
import { Trouble } from "../trouble/trouble";

interface TraceItemProps {
  readonly item: Item;
  readonly onCancelCall?: ((callId: string) => void) | undefined;
}

/** One thing that happened in a run. */
export const TraceItem = memo(function TraceItem({ item, onCancelCall }: TraceItemProps) {
  switch (item.kind) {
    case "thought":
      return <Thought thought={item} />;
    case "tool-calls":
      return <ToolCalls item={item} onCancel={onCancelCall} />;
    case "demotion":
      return <Demotion item={item} />;
    case "divider":
      return <Divider item={item} />;
    case "interrupt":
      return <Interrupt item={item} />;
    case "trouble":
      return <Trouble item={item} />;
  }
});
