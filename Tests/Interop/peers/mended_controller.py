"""Bumble's controller, with those deviations from the specification corrected that a subclass can correct.

Unmodified, the controller leaves some commands unanswered and the extended ones out of its list, delivers data under the
sender's random address even where the link uses another one, ignores Reset, never completes a cancelled connection attempt, reports legacy advertising as extended
without scan responses, and sends whole L2CAP PDUs to a host in spite of the ACL length that it announced. Not corrected: event
masks, filter and resolving lists, privacy, parameter negotiation.
"""

import asyncio

from bumble import hci, ll
from bumble.controller import AdvertisingSet, Controller, LegacyAdvertiser
from bumble.core import PhysicalTransport
from bumble.link import LocalLink

FIRST_FRAGMENT = 0b10
CONTINUING_FRAGMENT = 0b01
ADVERTISING_SLOT = 0.000_625  # seconds; Core Vol 4 Part E 7.8.5
CONNECTED_STATUS = {
    "cancelled": hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
    "exists": hci.HCI_ErrorCode.CONNECTION_ALREADY_EXISTS_ERROR,
}
# Handlers that exist and do not answer.
UNANSWERED = {hci.HCI_LE_READ_LOCAL_P_256_PUBLIC_KEY_COMMAND}
# Handlers that exist, of commands that the controller does not list as supported.
EXTENDED = {
    hci.HCI_LE_SET_ADVERTISING_SET_RANDOM_ADDRESS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_RESPONSE_DATA_COMMAND,
    hci.HCI_LE_SET_EXTENDED_ADVERTISING_ENABLE_COMMAND,
    hci.HCI_LE_READ_MAXIMUM_ADVERTISING_DATA_LENGTH_COMMAND,
    hci.HCI_LE_READ_NUMBER_OF_SUPPORTED_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_REMOVE_ADVERTISING_SET_COMMAND,
    hci.HCI_LE_CLEAR_ADVERTISING_SETS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_PARAMETERS_COMMAND,
    hci.HCI_LE_SET_EXTENDED_SCAN_ENABLE_COMMAND,
    hci.HCI_LE_EXTENDED_CREATE_CONNECTION_COMMAND,
}

Report = hci.HCI_LE_Advertising_Report_Event.Report
ReportType = hci.HCI_LE_Advertising_Report_Event.EventType
ExtendedReport = hci.HCI_LE_Extended_Advertising_Report_Event.Report
ExtendedType = hci.HCI_LE_Extended_Advertising_Report_Event.EventType
AdvertisingType = hci.HCI_LE_Set_Advertising_Parameters_Command.AdvertisingType

LEGACY_TYPES = {
    AdvertisingType.ADV_IND: (ReportType.ADV_IND, ExtendedType.CONNECTABLE_ADVERTISING | ExtendedType.SCANNABLE_ADVERTISING),
    AdvertisingType.ADV_SCAN_IND: (ReportType.ADV_SCAN_IND, ExtendedType.SCANNABLE_ADVERTISING),
    AdvertisingType.ADV_NONCONN_IND: (ReportType.ADV_NONCONN_IND, ExtendedType(0)),
}


class MendedLink(LocalLink):
    """A radio that delivers data under the address that the link uses."""

    def send_acl_data(self, sender_controller, destination_address, transport, data) -> None:
        connection = sender_controller.le_connections.get(destination_address)
        if transport != PhysicalTransport.LE or connection is None:
            return
        receiver = self.find_le_controller(destination_address)
        if receiver is not None:
            source = connection.self_address
            asyncio.get_running_loop().call_soon(receiver.on_link_acl_data, source, transport, data)

    def advertiser(self, address) -> LegacyAdvertiser | AdvertisingSet | None:
        """The controller that advertises as `address` now."""
        for controller in self.controllers:
            for candidate in (controller.le_legacy_advertiser, *controller.advertising_sets.values()):
                if candidate.enabled and candidate.address == address:
                    return candidate
        return None


class MendedAdvertiser(LegacyAdvertiser):
    """Legacy advertising at the configured interval, of all undirected types."""

    def _on_timer_fired(self) -> None:
        self.send_advertising_data()
        interval = max(self.advertising_interval_min * ADVERTISING_SLOT, 0.005)
        self.timer_handle = asyncio.get_running_loop().call_later(interval, self._on_timer_fired)

    def send_advertising_data(self) -> None:
        if self.enabled and self.advertising_type in LEGACY_TYPES:
            self.controller.send_advertising_pdu(ll.AdvInd(self.address, self.advertising_data))


class MendedController(Controller):
    """A controller that answers every command and respects the buffer sizes it announces."""

    def __init__(self, name: str, link: MendedLink, public_address: str, acl_length: int, acl_buffers: int) -> None:
        super().__init__(name, link=link, public_address=public_address)
        self.le_legacy_advertiser = MendedAdvertiser(self)
        self.le_acl_data_packet_length = acl_length
        self.total_num_le_acl_data_packets = acl_buffers
        self.supported_commands = {code for code in Controller.supported_commands | EXTENDED if self.handler(code)}
        self.scans_extended = False
        self.reported: set = set()

    def handler(self, op_code: int):
        """The method that answers a command, if there is one."""
        name = hci.HCI_Command.command_name(op_code).lower()
        return None if op_code in UNANSWERED else getattr(self, f"on_{name}", None)

    # Commands

    def on_hci_command_packet(self, command) -> None:
        if self.handler(command.op_code) is None:
            self._send_hci_command_status(hci.HCI_ErrorCode.UNKNOWN_HCI_COMMAND_ERROR, command.op_code)
        else:
            super().on_hci_command_packet(command)

    def on_hci_host_number_of_completed_packets_command(self, _command) -> None:
        """The one command that is never answered (Core Vol 4 Part E 7.3.40)."""

    def on_hci_reset_command(self, command):
        self.drop_links(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.stop_radio()
        return super().on_hci_reset_command(command)

    def on_hci_disconnect_command(self, command) -> None:
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            status = hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR
            self._send_hci_command_status(status, command.op_code)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)

    def on_hci_le_create_connection_command(self, command) -> None:
        if not self.refuses(command):
            super().on_hci_le_create_connection_command(command)

    def on_hci_le_extended_create_connection_command(self, command) -> None:
        if not self.refuses(command):
            super().on_hci_le_extended_create_connection_command(command)

    def refuses(self, command) -> bool:
        """Refuses a second link to one peer at once, instead of leaving it pending forever."""
        exists = command.peer_address in self.le_connections
        if exists:
            self._send_hci_command_status(CONNECTED_STATUS["exists"], command.op_code)
        return exists

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        event = hci.HCI_LE_Connection_Complete_Event(
            status=CONNECTED_STATUS["cancelled"],
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=pending.peer_address.address_type,
            peer_address=pending.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        # After the Command Complete that this method's result becomes.
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_hci_le_set_scan_enable_command(self, command):
        self.scans_extended = False
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_hci_le_set_extended_scan_parameters_command(self, command):
        self.le_scan_type = command.scan_types[0] if command.scan_types else 0
        return super().on_hci_le_set_extended_scan_parameters_command(command)

    def on_hci_le_set_extended_scan_enable_command(self, command):
        self.scans_extended = True
        self.reported.clear()
        return super().on_hci_le_set_extended_scan_enable_command(command)

    # The radio

    def on_link_acl_data(self, sender_address, transport, data) -> None:
        connection = self.le_connections.get(sender_address)
        if connection is None:
            return
        boundary = FIRST_FRAGMENT
        for start in range(0, len(data), self.le_acl_data_packet_length):
            part = data[start : start + self.le_acl_data_packet_length]
            self.send_hci_packet(hci.HCI_AclDataPacket(connection.handle, boundary, 0, len(part), part))
            boundary = CONTINUING_FRAGMENT

    def on_advertising_pdu(self, pdu) -> None:
        advertiser = self.link.advertiser(pdu.advertiser_address)
        if advertiser is None:
            return
        legacy_type, extended_type = advertising_types(advertiser)
        if self.le_scan_enable and self.should_report(pdu):
            self.report(pdu, legacy_type, extended_type, pdu.data)
            if self.le_scan_type == 1 and ExtendedType.SCANNABLE_ADVERTISING in extended_type:
                response = bytes(advertiser.scan_response_data)
                self.report(pdu, ReportType.SCAN_RSP, extended_type | ExtendedType.SCAN_RESPONSE, response)
        pending = self.pending_le_connection
        connectable = ExtendedType.CONNECTABLE_ADVERTISING in extended_type
        if connectable and pending is not None and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)

    def should_report(self, pdu) -> bool:
        key = (pdu.advertiser_address, bytes(pdu.data))
        seen = key in self.reported
        self.reported.add(key)
        return not (seen and self.filter_duplicates)

    def report(self, pdu, legacy_type, extended_type, data: bytes) -> None:
        """Sends one report, of the kind that the host's scan commands request."""
        address = pdu.advertiser_address
        if not self.scans_extended:
            if legacy_type is not None:
                report = Report(
                    event_type=legacy_type, address_type=address.address_type, address=address, data=data, rssi=-50
                )
                self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))
            return
        report = ExtendedReport(
            event_type=extended_type,
            address_type=address.address_type,
            address=address,
            primary_phy=hci.Phy.LE_1M,
            secondary_phy=0 if legacy_type is not None else hci.Phy.LE_1M,
            advertising_sid=0xFF if legacy_type is not None else 0,
            tx_power=0x7F,
            rssi=-50,
            periodic_advertising_interval=0,
            direct_address_type=0,
            direct_address=hci.Address.ANY,
            data=data,
        )
        self.send_hci_packet(hci.HCI_LE_Extended_Advertising_Report_Event([report]))

    # Teardown

    def drop_links(self, reason: int) -> None:
        """Ends every link, so that its peer sees a lost connection."""
        for connection in list(self.le_connections.values()):
            if self.link.find_le_controller(connection.peer_address):
                connection.send_ll_control_pdu(ll.TerminateInd(reason))
        self.le_connections.clear()

    def stop_radio(self) -> None:
        """No advertising, no scan, no connection attempt."""
        self.le_legacy_advertiser.stop()
        for advertising_set in self.advertising_sets.values():
            advertising_set.stop()
        self.advertising_sets.clear()
        self.pending_le_connection = None
        self.le_scan_enable = False
        self.reported.clear()

    def unplug(self) -> None:
        """Removes this controller from the radio after its host has disconnected."""
        self.drop_links(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.stop_radio()
        self.set_packet_sink(None)
        self.link.remove_controller(self)


def advertising_types(advertiser) -> tuple:
    """The legacy report type (None if the advertisement is none) and the extended one."""
    if isinstance(advertiser, LegacyAdvertiser):
        legacy, extended = LEGACY_TYPES[advertiser.advertising_type]
        return legacy, extended | ExtendedType.LEGACY_ADVERTISING_PDU_USED
    properties = int(advertiser.parameters.advertising_event_properties)
    extended = ExtendedType(properties & 0b1_0111)
    return hci.HCI_LE_Extended_Advertising_Report_Event.LEGACY_PDU_TYPE_MAP.get(properties & 0b111) if (
        ExtendedType.LEGACY_ADVERTISING_PDU_USED in extended
    ) else None, extended
