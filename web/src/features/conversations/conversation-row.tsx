import { useState } from "react";
import { useTexts } from "../../i18n/i18n";
import type { ConversationState } from "../../protocol/api";
import { IconButton } from "../../ui/button/button";
import { Menu, MenuItem } from "../../ui/menu/menu";
import { PlainLink } from "../../ui/plain-link";
import styles from "./conversation-row.module.css";
import { DeleteDialog } from "./delete-dialog";
import { RenameDialog } from "./rename-dialog";

interface ConversationRowProps {
  readonly conversation: ConversationState;
  readonly current: boolean;
  readonly onOpen: (id: string | null) => void;
}

type Asked = "rename" | "delete";

/** One conversation: opens it, and what else can be done with it. */
export function ConversationRow({ conversation, current, onOpen }: ConversationRowProps) {
  const texts = useTexts();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { id } = conversation;
  const title = conversation.title === "" ? texts.sidebar.untitled : conversation.title;
  return (
    <li className={styles.row} data-current={current}>
      <PlainLink
        href={`/c/${encodeURIComponent(id)}`}
        className={styles.link}
        aria-current={current ? "page" : undefined}
        title={title}
        onFollow={() => onOpen(id)}
      >
        {title}
      </PlainLink>
      <span className={styles.menu}>
        <Menu
          label={texts.sidebar.actions(title)}
          trigger={(props) => <IconButton small icon="more" label={texts.sidebar.actions(title)} {...props} />}
        >
          <MenuItem icon="pencil" onSelect={() => setAsked("rename")}>
            {texts.sidebar.rename}
          </MenuItem>
          <MenuItem danger icon="trash" onSelect={() => setAsked("delete")}>
            {texts.sidebar.delete}
          </MenuItem>
        </Menu>
      </span>
      {asked === "rename" && <RenameDialog id={id} title={conversation.title} onClose={() => setAsked(null)} />}
      {asked === "delete" && (
        <DeleteDialog id={id} title={title} onDeleted={() => current && onOpen(null)} onClose={() => setAsked(null)} />
      )}
    </li>
  );
}
